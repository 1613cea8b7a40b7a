// Compiles contracts/*.sol into contracts/artifacts/<Name>.json.
// `--check` compares instead of writing and exits with 1 when they differ.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'contracts');
const out = join(folder, 'artifacts');
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  viaIR: true,
  evmVersion: 'cancun',
  // Without it every source path would change the bytecode's last bytes.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};

const isCheck = process.argv.includes('--check');
const artifacts = compile();
const problems = isCheck ? differences(artifacts) : [];
if (!isCheck) {
  for (const [name, text] of artifacts) writeFileSync(join(out, `${name}.json`), text);
  for (const name of strangers(artifacts)) rmSync(join(out, name));
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.stderr.write('Run `npm run contracts` and commit the result.\n');
else process.stdout.write(`${artifacts.size} contract(s) ${isCheck ? 'match' : 'compiled'}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function compile() {
  const solc = require('solc');
  const read = new Map();
  const sources = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sol'))) {
    sources[file] = { content: readFileSync(join(folder, file), 'utf8') };
  }
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const answer = JSON.parse(solc.compile(JSON.stringify(input), { import: open(read) }));
  const faults = (answer.errors ?? []).map((each) => each.formattedMessage);
  if (faults.length > 0) {
    process.stderr.write(faults.join('\n'));
    process.exit(1);
  }
  return new Map(
    Object.keys(sources).map((file) => {
      const name = file.replace(/\.sol$/, '');
      const made = answer.contracts[file][name];
      const sourceHash = hash([solc.version(), SETTINGS, sources[file].content, [...read].sort()]);
      const artifact = { abi: made.abi, bytecode: `0x${made.evm.bytecode.object}`, sourceHash };
      return [name, `${JSON.stringify(artifact, null, 2)}\n`];
    }),
  );
}

/** Opens imports of packages and remembers what was read, for the source hash. */
function open(read) {
  return (path) => {
    try {
      const contents = readFileSync(require.resolve(path), 'utf8');
      read.set(path, contents);
      return { contents };
    } catch (cause) {
      return { error: `${path}: ${cause.message}` };
    }
  };
}

function differences(artifacts) {
  const found = [...artifacts].flatMap(([name, text]) => {
    const file = join(out, `${name}.json`);
    if (!existsSync(file)) return [`${name}.json is missing`];
    return readFileSync(file, 'utf8') === text ? [] : [`${name}.json does not match its source`];
  });
  return [...found, ...strangers(artifacts).map((name) => `${name} has no source`)];
}

function strangers(artifacts) {
  return readdirSync(out).filter(
    (name) => name.endsWith('.json') && !artifacts.has(name.replace(/\.json$/, '')),
  );
}

function hash(value) {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
