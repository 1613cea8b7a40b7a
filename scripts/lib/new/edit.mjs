// Edits of source texts: an entry of a list, an import. Each returns the new text.
import ts from 'typescript';
import { NewError, nameTaken } from './names.mjs';

/**
 * Adds an entry to the array or object that a constant is declared with: at its end, in the order
 * of its keys (`isSorted`), or before an entry that begins with a text (`before`).
 *
 * @throws {NewError} `NAME_TAKEN`, `PLACE_UNKNOWN`
 */
export function addEntry({ path, text }, declaration, entry, options = {}) {
  const list = findLiteral(path, text, declaration);
  return insertEntry({ path, text }, list, entry, options);
}

/** Adds a state to a chart, below the states named by `parents`. */
export function addState({ path, text }, parents, name, entry) {
  const tree = parse(path, text);
  let states = memberOf(findChart(tree), 'states');
  for (const parent of parents) states = memberOf(memberOf(states, parent), 'states');
  if (states === undefined || !ts.isObjectLiteralExpression(states)) {
    throw placeUnknown(path, `the states of ${parents.join('.') || 'the machine'}`);
  }
  return insertEntry({ path, text }, states, entry, { key: name });
}

/** Adds an import where its address belongs among the others. */
export function addImport({ path, text }, line) {
  const imports = parse(path, text).statements.filter(ts.isImportDeclaration);
  const order = orderOf(line.match(/'([^']+)'/)[1]);
  const next = imports.find(({ moduleSpecifier }) => orderOf(moduleSpecifier.text) > order);
  const last = imports.at(-1);
  const at = next === undefined ? (last?.end ?? -1) + 1 : next.getStart();
  return `${text.slice(0, at)}${line}\n${text.slice(at)}`;
}

/** Returns the keys of the object that a constant is declared with. */
export function listKeys({ path, text }, declaration) {
  const list = findLiteral(path, text, declaration);
  return (list.properties ?? []).flatMap(({ name }) => (name === undefined ? [] : [name.text]));
}

/** Far folders come first, as the formatter orders them. */
function orderOf(address) {
  const ups = address.match(/\.\.\//g)?.length ?? 0;
  return `${address.startsWith('.') ? String(99 - ups) : '00'} ${address}`;
}

function insertEntry({ path, text }, list, entry, { key, isSorted = false, before }) {
  const entries = list.properties ?? list.elements;
  const keyOf = ({ name }) => name?.text;
  if (key !== undefined && entries.some((one) => keyOf(one) === key)) throw nameTaken(key, path);
  const next = entries.find((one) => {
    return before === undefined ? isSorted && keyOf(one) > key : one.getText().startsWith(before);
  });
  const last = entries.at(-1);
  const isLong = text.slice(list.getStart(), list.end).includes('\n');
  if (next !== undefined) {
    const at = next.getStart();
    return `${text.slice(0, at)}${entry},${isLong ? '\n' : ' '}${text.slice(at)}`;
  }
  const end = last?.end ?? list.getStart() + 1;
  const comma = last === undefined ? '' : ',';
  const rest = text.slice(end).replace(/^,/, '');
  return `${text.slice(0, end)}${comma}${isLong ? '\n' : ' '}${entry}${isLong ? ',' : ''}${rest}`;
}

function findLiteral(path, text, declaration) {
  for (const statement of parse(path, text).statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (name.getText() !== declaration) continue;
      const literal = unwrap(initializer);
      if (literal.properties !== undefined || literal.elements !== undefined) return literal;
    }
  }
  throw placeUnknown(path, declaration);
}

function findChart(tree) {
  let found;
  const visit = (node) => {
    const isCall = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
    if (isCall && node.expression.name.text === 'createMachine') found ??= node.arguments[0];
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function memberOf(node, name) {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined;
  return node.properties.find((one) => one.name?.text === name)?.initializer;
}

/** The literal within `as const`, `satisfies`, `new Map(…)` and brackets. */
function unwrap(node) {
  const isWrapped =
    ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node);
  if (isWrapped) return unwrap(node.expression);
  return ts.isNewExpression(node) ? unwrap(node.arguments[0]) : node;
}

function placeUnknown(path, what) {
  return new NewError('PLACE_UNKNOWN', `${path} does not declare ${what} as a literal.`);
}

function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}
