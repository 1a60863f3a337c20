/** HTTP proxies on the way to a service. None leads to this machine, whatever the environment says. */

/** What is on this machine: a Unix socket, or loopback. */
const LOOPBACK = /^(unix:|localhost:|127\.\d+\.\d+\.\d+:|\[::1\]:)/i;
/** Where gRPC looks for a proxy, in this order. */
const VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'];

/** The options of a channel to `address` that are about proxies; gRPC itself makes no exception of loopback. */
export function proxyOptions(address) {
  return LOOPBACK.test(address) ? { 'grpc.enable_http_proxy': 0 } : {};
}

/** Which proxy `address` may be reached through, without its password, in words for a message; empty if none. */
export function throughProxy(address, environment = process.env) {
  const variable = VARIABLES.find((name) => environment[name]);
  if (!variable || LOOPBACK.test(address)) return '';
  return `, through the proxy ${environment[variable].replace(/^.*[/@](?=.)/, '')} (from ${variable})`;
}
