// Loads typed modules of the checkout into plain Node: strips their types and imports the rest.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { CHECKOUT } from './checkout.mjs';

/** Imports a `.ts` file (path from the checkout) and the `.ts` files that it imports. */
export async function importTypeScript(path) {
  const cache = join(CHECKOUT, '.cache');
  mkdirSync(cache, { recursive: true });
  const out = mkdtempSync(join(cache, 'modules-'));
  try {
    strip(path, out, new Set());
    writeFileSync(join(out, 'package.json'), '{"type":"module"}');
    return await import(pathToFileURL(join(out, path.replace(/\.ts$/, '.js'))).href);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function strip(path, out, done) {
  if (done.has(path)) return;
  done.add(path);
  const source = readFileSync(join(CHECKOUT, path), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    fileName: path,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  const target = join(out, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
  for (const [, name] of outputText.matchAll(/from ['"](\.[^'"]+)\.js['"]/g)) {
    strip(join(dirname(path), `${name}.ts`), out, done);
  }
}
