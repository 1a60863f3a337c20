/** What the build leaves out of the page: nothing that it does, only weight. */
import type { Plugin } from "vite";

const WRITTEN = /fileDesc\("([A-Za-z0-9+/]*)"/;

/**
 * The generated code has its descriptors in base64, in which no word looks like itself: as they are, they compress to two
 * thirds of that.
 */
export function plainDescriptors(): Plugin {
  return {
    name: "plain-descriptors",
    apply: "build",
    transform(code, id) {
      if (!id.includes("/src/gen/")) return null;
      if (!WRITTEN.test(code)) throw new Error(`${id}: there is no descriptor in it as protoc-gen-es writes it`);
      const plain = code.replace(WRITTEN, (_, base64: string) => {
        return `fileDesc(btoa(${JSON.stringify(Buffer.from(base64, "base64").toString("latin1"))})`;
      });
      return { code: plain, map: null };
    },
  };
}

/** Connect can write messages as JSON, too, which this page never asks for: `src/api/binary_only.ts` is what it gets. */
export function binaryOnly(instead: string): Plugin {
  return {
    name: "binary-only",
    apply: "build",
    enforce: "pre",
    resolveId(source, importer) {
      return source === "@bufbuild/protobuf" && importer?.includes("/@connectrpc/") === true ? instead : null;
    },
  };
}
