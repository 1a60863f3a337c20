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
  if (!variable || LOOPBACK.test(address) || isExcepted(address, environment)) return '';
  return `, through the proxy ${environment[variable].replace(/^.*[/@](?=.)/, '')} (from ${variable})`;
}

/** Whether the environment lists the host as one that no proxy leads to: an entry is the end of its name. */
function isExcepted(address, environment) {
  const listed = environment.no_grpc_proxy || environment.no_proxy || '';
  const host = address.slice(0, address.lastIndexOf(':'));
  return listed.split(',').some((entry) => entry && host.endsWith(entry));
}
