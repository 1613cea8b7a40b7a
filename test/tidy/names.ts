import { basename } from 'node:path';
import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';
import { TOOL_NAMES } from './tool-names.ts';

const SHORT = new Set([
  ...['arr', 'btn', 'cb', 'cfg', 'cnt', 'ctx', 'ctr', 'err', 'evt', 'fn', 'idx', 'mgr'],
  ...['msg', 'num', 'obj', 'opts', 'pkg', 'prev', 'ptr', 'req', 'res', 'svc', 'tmp', 'val'],
]);

/** Members of records that hosts have in public, and that callers know by these names. */
const KNOWN = new Set(['numInstances']);

/** Style 8: declared names are made of words. */
export const namesAreWords: Rule = (file) => {
  if (!/^(src|web)\//.test(file.path)) return [];
  return [...nodesOf(file.tree)].flatMap((node) => {
    const name = declaredName(node);
    if (name === undefined || KNOWN.has(name)) return [];
    const short = wordsOf(name).find((word) => SHORT.has(word));
    if (short === undefined) return [];
    return [at(file, node.getStart(), `${name}: write out "${short}"`)];
  });
};

/** Style 9: a tool's file is named as on the wire, every other file in kebab-case. */
export const filesAreNamed: Rule = (file) => {
  const stem = basename(file.path).replace(/(\.d)?\.tsx?$/, '');
  const server = file.path.startsWith('src/tools/hosting/') ? 'hosting' : 'commerce';
  if (/^src\/tools\/.*_/.test(file.path)) return toolFileFaults(file, stem, server);
  const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract|long\.test))?$/.test(stem);
  return isKebab || namesTool(stem) ? [] : [`${file.path}:1: name it in kebab-case`];
};

function toolFileFaults(
  file: Parameters<Rule>[0],
  stem: string,
  server: 'commerce' | 'hosting',
): readonly string[] {
  if (!TOOL_NAMES[server].includes(stem)) {
    return [`${file.path}:1: ${stem} is no tool of the ${server} specification`];
  }
  const isSaid = file.text.includes(`'${stem}'`);
  return isSaid ? [] : [`${file.path}:1: the tool in it does not bear its name`];
}

// Tests of a tool mirror its file name.
function namesTool(stem: string): boolean {
  const tool = stem.split('.')[0] ?? '';
  return [...TOOL_NAMES.commerce, ...TOOL_NAMES.hosting].some((name) => tool.startsWith(name));
}

function declaredName(node: ts.Node): string | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node);
  if (!isDeclaration || node.name === undefined) return undefined;
  return ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)
    ? node.name.text
    : undefined;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}
