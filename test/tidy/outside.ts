import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';

// Where the outside world may be touched; everything else gets it handed in.
const OUTSIDE = [
  /^src\/(providers|transport|router|connect|process|cli|auditor|system)\//,
  /^src\/(main|cli|config)\.ts$/,
  /^src\/store\/common\/folder-lock\.ts$/,
  // A nonce that a program could choose would not be safe.
  /^src\/store\/engine\/payload-codec\.ts$/,
  /^src\/runtime\/(timer\/clock|durable\/keep-alive|action\/print-log)\.ts$/,
];
const GLOBAL_CALLS = new Set(['setTimeout', 'setInterval', 'fetch']);
const MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID']);
const CHANCE = new Set(['randomBytes', 'randomUUID', 'randomInt', 'webcrypto']);

/** Style 14: clock, chance, process, timers and network only where the outside is allowed. */
export const staysInside: Rule = (file) => {
  if (!file.path.startsWith('src/') || OUTSIDE.some((place) => place.test(file.path))) return [];
  return [...nodesOf(file.tree)].flatMap((node) => {
    const used = outsideUse(node);
    return used === undefined ? [] : [at(file, node.getStart(), `${used} is handed in here`)];
  });
};

/** Style 18: what is thrown anew is an `AppError`; in runtime and store an `EngineError`. */
export const throwsByCode: Rule = (file) => {
  if (!file.path.startsWith('src/')) return [];
  const allowed = errorClasses(file.path);
  return [...nodesOf(file.tree)].flatMap((node) => {
    if (!ts.isThrowStatement(node) || !ts.isNewExpression(node.expression)) return [];
    const name = node.expression.expression.getText();
    if (allowed.includes(name)) return [];
    return [at(file, node.getStart(), `throw ${allowed.join(' or ')} with a code, not ${name}`)];
  });
};

function errorClasses(path: string): readonly string[] {
  if (path.startsWith('src/runtime/')) return ['EngineError'];
  if (path.startsWith('src/store/')) return ['AppError', 'EngineError'];
  // The SDK of the protocol takes the number of a JSON-RPC error from this class alone.
  return path.startsWith('src/transport/mcp/') ? ['AppError', 'ProtocolError'] : ['AppError'];
}

function outsideUse(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    return only(node.expression.text, GLOBAL_CALLS);
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date') {
    return (node.arguments?.length ?? 0) === 0 ? 'new Date()' : undefined;
  }
  if (ts.isImportSpecifier(node)) return only(node.name.text, CHANCE);
  return ts.isPropertyAccessExpression(node) ? memberUse(node) : undefined;
}

function memberUse(node: ts.PropertyAccessExpression): string | undefined {
  return node.expression.getText() === 'process' ? 'process' : only(node.getText(), MEMBERS);
}

function only(name: string, names: ReadonlySet<string>): string | undefined {
  return names.has(name) ? name : undefined;
}
