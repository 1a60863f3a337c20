import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

const THROUGH_KEPT = "A browser may deny storage, and throws then: use kept and keep of src/kept.ts.";
const throughKept = (name) => ({ name, message: THROUGH_KEPT });

export default defineConfig([
  globalIgnores(["src/gen", "node_modules", "*.js"]),
  typescript.configs.strictTypeChecked,
  typescript.configs.stylisticTypeChecked,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-restricted-globals": ["error", ...["localStorage", "sessionStorage"].map(throughKept)],
      "no-restricted-properties": [
        "error",
        ...["localStorage", "sessionStorage"].map((property) => ({ property, message: THROUGH_KEPT })),
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "Names, labels and logs come from strangers: let Preact write them as text.",
        },
        {
          selector: "JSXAttribute[name.name='style'] > Literal",
          message: "The Content Security Policy forbids style attributes in markup: use a class or a style object.",
        },
      ],
    },
  },
  { files: ["src/kept.ts", "test/setup.ts"], rules: { "no-restricted-globals": "off" } },
]);
