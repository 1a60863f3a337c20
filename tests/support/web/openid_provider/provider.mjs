/** An OpenID provider of the package oidc-provider on loopback: `node provider.mjs PORT REDIRECT_URI`. */
import Provider from 'oidc-provider';

const [port, redirect] = process.argv.slice(2);
const client = (id) => ({
  client_id: id,
  client_secret: 's3cret-of-the-client',
  redirect_uris: [redirect],
  response_types: ['code'],
  grant_types: ['authorization_code'],
});
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [client('fudaba-gateway'), client('another-site')],
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: `${id} of the provider` }) }),
  claims: { openid: ['sub'], profile: ['preferred_username'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  ttl: {
    AuthorizationCode: (context, code) => (code.accountId === 'late' ? 1 : 600),
    AccessToken: 600,
    Grant: 600,
    Interaction: 600,
    Session: 600,
    IdToken: 600,
  },
});
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
