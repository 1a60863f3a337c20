/** How calls of the contract reach the gateway that served this page. The session's cookie says who calls. */
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { deadlinesOf, inTime } from "~/api/deadlines";
import { FROM_THIS_PAGE, lapsed, session } from "~/api/session";

const fromThisPage: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(FROM_THIS_PAGE)) request.header.set(name, value);
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

const connect = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true, // ten times faster than JSON in a browser
  useHttpGet: false,
  interceptors: [fromThisPage, noticesTheEnd],
});

/** Calls are answered in time or given up; `follow` looks after streams. */
export const transport: Transport = {
  unary: (method, signal, timeoutMs, header, message, contextValues) =>
    inTime(
      deadlinesOf(method.name),
      (ends) => connect.unary(method, ends, timeoutMs, header, message, contextValues),
      signal,
    ),
  stream: (...call) => connect.stream(...call),
};
