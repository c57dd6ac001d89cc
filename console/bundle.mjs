// Makes console/dist of console/src: one script, one style sheet, the page, its icon and the licences
// of the packages in the script. The build of Bennu takes console/dist as it is, so that it needs
// neither Node.js nor a network; run this after a change of the page:
//
//   cd console && npm ci && npm run bundle
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const out = "dist";
const bytesMax = 550_000; // of all files together

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const result = await build({
  entryPoints: { app: "src/main.ts", "app-style": "src/style.css" },
  bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none",
  outdir: out, metafile: true, logLevel: "warning",
});
writeFileSync(join(out, "app.css"), readFileSync(join(out, "app-style.css")));
rmSync(join(out, "app-style.css"));
for (const name of ["index.html", "icon.svg"]) copyFileSync(join("src", name), join(out, name));

// The packages whose files went into the bundle, each with the text of its licence.
const packages = new Set(Object.keys(result.metafile.inputs)
    .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean));
const licences = [...packages].sort().map((name) => {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} comes without the text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(out, "licenses.txt"),
    "Bennu's console contains these packages.\n\n" + licences.join("\n" + "-".repeat(72) + "\n\n"));

const files = readdirSync(out).map((name) => [name, statSync(join(out, name)).size]);
const total = files.reduce((sum, [, size]) => sum + size, 0);
for (const [name, size] of files) console.log(`${String(size).padStart(8)}  ${name}`);
console.log(`${String(total).padStart(8)}  together`);
if (total > bytesMax) throw new Error(`the page has more than ${bytesMax} bytes`);
