import ts from 'typescript';
import { at, nodesOf, type Rule, type SourceFile } from './files.ts';

const LIMIT = { fileLines: 800, functionLines: 70, columns: 100 } as const;

/** Style 1: at most 800 lines. */
export const keepsLength: Rule = (file) => {
  const lines = file.text.trimEnd().split('\n').length;
  return lines > LIMIT.fileLines ? [`${file.path}:1: ${lines} lines`] : [];
};

/** The formatter's 100 columns, also for comments and texts, which it does not break. */
export const keepsWidth: Rule = (file) =>
  file.text
    .split('\n')
    .flatMap((line, index) =>
      line.length > LIMIT.columns ? [`${file.path}:${index + 1}: ${line.length} columns`] : [],
    );

/** Style 2: a function fits a screen. */
export const keepsFunctionSize: Rule = (file) =>
  [...nodesOf(file.tree)].flatMap((node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return [];
    const lines = node.getText().split('\n').length;
    return lines > LIMIT.functionLines ? [at(file, node.getStart(), `${lines} lines`)] : [];
  });

/** Style 24: every export has a docstring. */
export const documentsExports: Rule = (file) =>
  file.tree.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) === true;
    return isExported && docText(statement) === ''
      ? [at(file, statement.getStart(), 'exported without a docstring')]
      : [];
  });

/** Style 27: a machine is data; what it calls stands by name in `setup` or as a named function. */
export const machinesAreData: Rule = (file) => {
  if (!file.path.startsWith('src/machines/')) return [];
  return [...nodesOf(file.tree)].flatMap((node) =>
    isCreateMachine(node) ? inlineFunctions(file, node) : [],
  );
};

function docText(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => doc.getText().replace(/[\s/*]/g, ''))
    .join('');
}

function isCreateMachine(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node)) return false;
  const callee = node.expression;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
  return name === 'createMachine' || name === 'createStateConfig';
}

function inlineFunctions(file: SourceFile, call: ts.CallExpression): readonly string[] {
  return call.arguments
    .flatMap((argument) => [...nodesOf(argument)])
    .filter((node) => ts.isFunctionLike(node) && !ts.isTypeNode(node))
    .map((node) => at(file, node.getStart(), 'inline function in a machine: give it a name'));
}
