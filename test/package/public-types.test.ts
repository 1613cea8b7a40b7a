import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { CHECKOUT } from './packed.ts';

const PIN = join(CHECKOUT, 'test/package/public-types.txt');
const RENEW = 'STOA_RENEW_PINS=1 npx vitest run test/package/public-types.test.ts';
const ENTRIES = {
  '@stoa/runtime': 'store/durable/index',
  '@stoa/runtime/lmdb': 'store/engine/engine-store',
  '@stoa/runtime/testing': 'testing/index',
  '@stoa/runtime/charts': 'charts/index',
  '@stoa/runtime/inspector': 'process/inspect/library',
  '@stoa/runtime/serve': 'process/app/library',
  '@stoa/runtime/client': 'process/app/client',
};

test('the public types are those of the pin', { timeout: 120_000 }, async () => {
  const surface = await publicTypes();
  if (process.env['STOA_RENEW_PINS'] !== undefined) writeFileSync(PIN, surface);
  const words = `the public types changed; if they should, renew the pin: ${RENEW}`;
  expect(surface, words).toBe(readFileSync(PIN, 'utf8'));
});

async function publicTypes(): Promise<string> {
  const dist = await built();
  const files = Object.values(ENTRIES).map((entry) => join(dist, `${entry}.d.ts`));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    types: [],
  });
  const sections = Object.keys(ENTRIES).map((name, at) => {
    const file = program.getSourceFile(files[at] ?? '');
    if (file === undefined) throw new Error(`${name} has no declarations`);
    return `# ${name}\n\n${exportsOf(program.getTypeChecker(), file).join('\n\n')}\n`;
  });
  return sections.join('\n');
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile): readonly string[] {
  const module = checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${file.fileName} exports nothing`);
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => declarationOf(checker, symbol));
}

function declarationOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const real = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  const printer = ts.createPrinter({ removeComments: true });
  const texts = (real.declarations ?? []).map((node) => {
    const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
    return printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
  });
  return texts.join('\n');
}
