/** How calls of the contract reach the gateway that served this page. The session's cookie says who calls. */
import type { Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

/** Tells the gateway that this page calls: another site's page cannot set it, so a cookie alone does nothing (CSRF). */
const fromThisPage: Interceptor = (next) => (request) => {
  request.header.set("x-fudaba-page", "1");
  return next(request);
};

export const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true, // ten times faster than JSON in a browser
  useHttpGet: false,
  interceptors: [fromThisPage],
});
