/**
 * Protobuf as Connect finds it in the built page (`lighter.ts`): without JSON, since calls are binary. Errors are JSON of
 * Connect's own, which it reads without this.
 */
export * from "@bufbuild/protobuf";

function never(): never {
  throw new Error("this page speaks protobuf's binary form only");
}

export { never as fromJson, never as fromJsonString, never as toJson, never as toJsonString };
