import { expect, test } from 'vitest';
import { startsNoChild } from './children.ts';
import { commentsAreSentences } from './comments.ts';
import { parse, type Rule } from './files.ts';
import { showsTextsInert } from './inert.ts';
import { filesAreNamed, namesAreWords } from './names.ts';
import { staysInside, throwsByCode } from './outside.ts';
import { holdsNoSecret } from './secrets.ts';
import {
  documentsExports,
  keepsFunctionSize,
  keepsLength,
  keepsWidth,
  machinesAreData,
} from './shape.ts';

interface Sample {
  readonly rule: Rule;
  readonly path: string;
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

const lines = (count: number) => 'f();\n'.repeat(count);
const key = '3b'.repeat(31);

const samples: Readonly<Record<string, Sample>> = {
  'files end in time': {
    rule: keepsLength,
    path: 'src/a.ts',
    bad: [lines(801)],
    good: [lines(800)],
  },
  'lines end in time': {
    rule: keepsWidth,
    path: 'src/a.ts',
    bad: ['x'.repeat(101)],
    good: ['x'.repeat(100)],
  },
  'functions fit a screen': {
    rule: keepsFunctionSize,
    path: 'src/a.ts',
    bad: [`function a() {\n${lines(70)}}`],
    good: [`function a() {\n${lines(60)}}`],
  },
  'exports are documented': {
    rule: documentsExports,
    path: 'src/a.ts',
    bad: ['export const a = 1;', '/** */\nexport const a = 1;'],
    good: ['/** One. */\nexport const a = 1;', 'const a = 1;'],
  },
  'machines hold no inline functions': {
    rule: machinesAreData,
    path: 'src/machines/a.ts',
    bad: ['setup({}).createMachine({ context: () => ({}) });', 'createMachine({ entry() {} });'],
    good: ['setup({ guards: { a: () => true } }).createMachine({ context: first });'],
  },
  'the outside is handed in': {
    rule: staysInside,
    path: 'src/actors/a.ts',
    bad: [
      'Date.now();',
      'new Date();',
      'Math.random();',
      'setTimeout(a, 1);',
      "fetch('a');",
      'process.env;',
      "import { randomBytes } from 'node:crypto';",
    ],
    good: ['clock.now();', 'new Date(at);', 'egress.fetch(a);', "import { a } from 'node:crypto';"],
  },
  'one module starts processes': {
    rule: startsNoChild,
    path: 'src/process/a.ts',
    bad: [
      "import { spawn } from 'node:child_process';",
      "import * as all from 'child_process';",
      "import { type ChildProcess, spawn } from 'node:child_process';",
      "const { fork } = await import('node:child_process');",
      "require('child_process');",
      "export { exec } from 'node:child_process';",
    ],
    good: [
      "import type { ChildProcess } from 'node:child_process';",
      "import { spawn } from '../system/child.ts';",
    ],
  },
  'errors carry a code': {
    rule: throwsByCode,
    path: 'src/actors/a.ts',
    bad: ["throw new Error('a');", "throw new EngineError('A', 'a');"],
    good: ["throw new AppError('INTERNAL');", 'throw cause;', 'throw invalid(a);'],
  },
  'the runtime has errors of its own': {
    rule: throwsByCode,
    path: 'src/runtime/a.ts',
    bad: ["throw new AppError('INTERNAL');"],
    good: ["throw new EngineError('STORE_FULL', 'a');"],
  },
  'names are words': {
    rule: namesAreWords,
    path: 'src/a.ts',
    bad: ['const errBody = 1;', 'function a(req: string) {}', 'interface A { cfg: string }'],
    good: ['const errorBody = 1;', 'const resolve = 1;', 'a.req(1);'],
  },
  'tool files bear wire names': {
    rule: filesAreNamed,
    path: 'src/tools/market/price_feed.ts',
    bad: ["const name = 'oracle_price-feed';"],
    good: [],
  },
  'tool files hold the tool that they name': {
    rule: filesAreNamed,
    path: 'src/tools/market/oracle_price-feed.ts',
    bad: ["const name = 'oracle_price_feed';"],
    good: ["const name = 'oracle_price-feed';"],
  },
  'other files are in kebab-case': {
    rule: filesAreNamed,
    path: 'src/actors/priceFeed.ts',
    bad: [''],
    good: [],
  },
  'comments are no code and leave nothing open': {
    rule: commentsAreSentences,
    path: 'src/a.ts',
    bad: ['// const a = 1;', 'f(); // save(a);', '/* TODO: later */', 'f({\n// return a;\n});'],
    good: ['// Saves a; then b.', '// TODO #12: later', "const a = '// const a = 1;';"],
  },
  'texts stay texts in the console': {
    rule: showsTextsInert,
    path: 'web/src/pages/a.tsx',
    bad: [
      'a.innerHTML = b;',
      "a['outerHTML'] = b;",
      'const a = <p dangerouslySetInnerHTML={b} />;',
      "a.setAttribute('srcdoc', b);",
      "new DOMParser().parseFromString(a, 'text/html');",
      'new Function(a)();',
    ],
    good: ['a.textContent = b;', 'const a = <p>{b}</p>;', '// innerHTML'],
  },
  'secrets stay out': {
    rule: holdsNoSecret,
    path: 'src/a.ts',
    bad: [`const a = '0x${key}ff';`, "const a = 'sk-abcdefghijklmnopqrstuvwx';"],
    good: [`const a = '0x${'0'.repeat(64)}';`, `const a = '${key}';`],
  },
};

test.each(Object.entries(samples))('the rule sees its fault: %s', (_name, sample) => {
  const { rule, path, bad, good } = sample;
  const seen = (text: string) => rule(parse(path, text)).length > 0;
  expect(bad.filter((text) => !seen(text))).toEqual([]);
  expect(good.filter(seen)).toEqual([]);
});
