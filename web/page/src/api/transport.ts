/** How calls of the contract reach the gateway that served this page. The session's cookie says who calls. */
import {
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  create,
  fromBinary,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type StreamResponse, type Transport } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createConnectTransport } from "@connectrpc/connect-web";
import { deadlinesOf, inTime } from "~/api/deadlines";
import { FROM_THIS_PAGE } from "~/api/from_this_page";
import { lapsed, session } from "~/api/session";
import { isShared, sharedStream } from "~/api/shared_stream";

const fromThisPage: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(FROM_THIS_PAGE)) request.header.set(name, value);
  return next(request);
};

/** Notices that the token of who is signed in is refused, so that the page can ask for another one. */
const noticesTheEnd: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    notice(error);
    throw error;
  }
};

function notice(error: unknown) {
  if (session.value && error instanceof ConnectError && error.code === Code.Unauthenticated) lapsed.value = true;
}

const connect = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true, // ten times faster than JSON in a browser
  useHttpGet: false,
  // A move that is sent as the page is left arrives all the same.
  fetch: (url, init) =>
    fetch(url, typeof url === "string" && url.endsWith("/SubmitMove") ? { ...init, keepalive: true } : init),
  interceptors: [fromThisPage, noticesTheEnd],
});

type Method<I extends DescMessage, O extends DescMessage> = StreamResponse<I, O>["method"];

/** What is open for long: the tabs of a browser share one connection for it. */
const SHARED: ReadonlySet<string> = new Set(["WatchSeat", "WatchMatch"]);

/** The messages of a stream: through the worker that all tabs share, or where it takes none, without it. */
async function* messages<I extends DescMessage, O extends DescMessage>(
  method: Method<I, O>,
  input: AsyncIterable<MessageInitShape<I>>,
  signal: AbortSignal | undefined,
  alone: (request: MessageShape<I>) => Promise<StreamResponse<I, O>>,
): AsyncGenerator<MessageShape<O>> {
  const name = `${method.parent.typeName}.${method.name}`;
  try {
    for await (const init of input) {
      const request = create(method.input, init);
      const about = "matchId" in request ? String(request.matchId) : "";
      if (!isShared(name, about)) {
        yield* (await alone(request)).message;
        continue;
      }
      const sent = toBinary(method.input, request);
      for await (const message of sharedStream(name, about, sent, signal)) yield fromBinary(method.output, message);
    }
  } catch (error) {
    notice(error);
    throw error;
  }
}

/** Calls are answered in time or given up; `follow` looks after streams. */
export const transport: Transport = {
  unary: (method, signal, timeoutMs, header, message, contextValues) =>
    inTime(
      deadlinesOf(method.name),
      (ends) => connect.unary(method, ends, timeoutMs, header, message, contextValues),
      signal,
    ),
  stream: (method, signal, timeoutMs, header, input, contextValues) =>
    SHARED.has(method.name)
      ? Promise.resolve({
          stream: true,
          service: method.parent,
          method,
          header: new Headers(),
          trailer: new Headers(),
          message: messages(method, input, signal, (request) =>
            connect.stream(method, signal, timeoutMs, header, createAsyncIterable([request]), contextValues),
          ),
        })
      : connect.stream(method, signal, timeoutMs, header, input, contextValues),
};
