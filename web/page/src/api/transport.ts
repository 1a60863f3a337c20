/** How calls of the contract reach the gateway that served this page. The session's cookie says who calls. */
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { lapsed, session } from "~/api/session";

/** Tells the gateway that this page calls: another site's page cannot set it, so a cookie alone does nothing (CSRF). */
const fromThisPage: Interceptor = (next) => (request) => {
  request.header.set("x-fudaba-page", "1");
  return next(request);
};

/** Notices that the token of who is signed in is refused, so that the page can ask for another one. */
const noticesTheEnd: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    if (session.value && error instanceof ConnectError && error.code === Code.Unauthenticated) lapsed.value = true;
    throw error;
  }
};

export const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true, // ten times faster than JSON in a browser
  useHttpGet: false,
  interceptors: [fromThisPage, noticesTheEnd],
});
