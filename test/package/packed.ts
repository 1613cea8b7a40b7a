import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { built } from '../support/built.ts';
import { tempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);

/** Root of the checkout. */
export const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

/** A project that has the packed library, what it needs and its peers, and nothing else. */
export interface Project {
  readonly path: string;
  /** Paths in the package, without `package/`. */
  readonly files: readonly string[];
  /** Compiles files of the project, strictly, declarations of the library included. */
  compile(...files: readonly string[]): Promise<void>;
  /** Runs a module of the project; gives what it printed. */
  run(file: string, ...args: readonly string[]): Promise<string>;
  /** Does the same with another program of Node and more of an environment. */
  runOn(node: string, env: Env, file: string, ...args: readonly string[]): Promise<string>;
  write(file: string, text: string): void;
  remove(): void;
}

type Env = Readonly<Record<string, string>>;

/** Packs the library and unpacks it into an empty project, with what it needs beside it. */
export async function packedProject(): Promise<Project> {
  await built();
  const { path, remove } = tempDir();
  const modules = join(path, 'node_modules');
  mkdirSync(modules);
  const tarball = await pack('runtime', path);
  await run('tar', ['xzf', tarball], { cwd: path, timeout: 60_000 });
  const library = join(modules, '@stoa', 'runtime');
  mkdirSync(dirname(library));
  renameSync(join(path, 'package'), library);
  for (const name of ['xstate', 'lmdb', 'croner', 'ws']) bring(name, modules, CHECKOUT);
  writeFileSync(join(path, 'package.json'), '{"type": "module", "private": true}\n');
  const files = readdirSync(library, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(library.length + 1));
  return {
    path,
    files,
    remove,
    write: (file, text) => writeFileSync(join(path, file), text),
    compile: (...sources) => compile(path, sources),
    run: (file, ...args) => runIn(path, process.execPath, {}, [file, ...args]),
    runOn: (node, env, file, ...args) => runIn(path, node, env, [file, ...args]),
  };
}

/**
 * Packs a package of `packages/`, or the server.
 *
 * @param folder - Where the archive goes.
 * @returns Name of the archive.
 */
export async function pack(
  name: 'runtime' | 'console' | 'server',
  folder: string,
): Promise<string> {
  // A copy: other tests pack at the same time, and run the modules of the build as compiled.
  const cwd = join(folder, `pack-${name}`);
  if (name === 'server') {
    for (const each of SERVER_FILES) cpSync(join(CHECKOUT, each), join(cwd, each), COPY);
    symlinkSync(join(CHECKOUT, 'node_modules'), join(cwd, 'node_modules'), 'junction');
    await run(process.execPath, [join(cwd, 'scripts', 'bundle.mjs')]);
  } else {
    cpSync(join(CHECKOUT, 'packages', name), cwd, COPY);
    await run(process.execPath, [join(CHECKOUT, 'scripts', 'assemble.mjs'), name, cwd]);
  }
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd, timeout: 120_000 });
  const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[];
  return packed?.filename ?? '';
}

/** What the archive of the server is made from. */
const SERVER_FILES = [
  ...['package.json', 'README.md', 'LICENSE', 'dist', 'scripts', 'docs', 'examples'],
  'contracts/artifacts',
];
const COPY = { recursive: true };

async function runIn(path: string, node: string, env: Env, args: readonly string[]) {
  const options = { cwd: path, timeout: 30_000, env: { ...bareEnvironment(), ...env } };
  return (await run(node, args, options)).stdout;
}

/** Removes the indent of the first line from all lines. */
export function withoutIndent(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/** An environment without anything of ours. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

/** Copies a package of the checkout, and links what it depends on itself. */
function bring(name: string, modules: string, from: string): void {
  const target = join(modules, name);
  const source = join(from, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true });
  const { dependencies = {}, optionalDependencies = {} } = createRequire(import.meta.url)(
    join(source, 'package.json'),
  ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const link = join(modules, each);
    mkdirSync(dirname(link), { recursive: true });
    try {
      symlinkSync(join(from, 'node_modules', each), link);
    } catch {
      // Two packages may need the same one; binaries of other systems are not there.
    }
  }
}

/**
 * Compiles files of a folder, strictly, with the declarations that they reach.
 *
 * @throws {Error} What the compiler says.
 */
export async function compile(path: string, files: readonly string[]): Promise<void> {
  const options = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(CHECKOUT, 'node_modules', '@types')],
  };
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
  const compiler = join(CHECKOUT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    await run(process.execPath, [compiler, '-p', path], { timeout: 60_000 });
  } catch (thrown) {
    throw new Error(String((thrown as { stdout?: unknown }).stdout), { cause: thrown });
  }
}
