import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

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
]);
