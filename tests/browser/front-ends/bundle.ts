// Run in a folder where the packages are installed: makes a page's script of each front-end.
import { compile, compileModule } from "svelte/compiler";

const svelte: Bun.BunPlugin = {
  name: "svelte",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({
      contents: compile(await Bun.file(path).text(), { filename: path, generate: "client" }).js.code,
      loader: "js",
    }));
    onLoad({ filter: /\.svelte\.js$/ }, async ({ path }) => ({
      contents: compileModule(await Bun.file(path).text(), { filename: path, generate: "client" }).js.code,
      loader: "js",
    }));
  },
};

const { success, logs } = await Bun.build({
  entrypoints: process.argv.slice(2),
  outdir: "dist",
  target: "browser",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [svelte],
});
if (!success) throw new Error(logs.join("\n"));
