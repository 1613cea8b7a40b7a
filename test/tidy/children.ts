import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';

const MODULES = new Set(['node:child_process', 'child_process']);

/** One module starts all processes, see docs/decisions/hosting-isolation.md. */
export const startsNoChild: Rule = (file) => {
  if (!file.path.startsWith('src/') || file.path.startsWith('src/system/')) return [];
  return [...nodesOf(file.tree)].flatMap((node) => {
    if (!ts.isStringLiteralLike(node) || !MODULES.has(node.text)) return [];
    const { parent } = node;
    const isType = ts.isImportDeclaration(parent) && parent.importClause?.isTypeOnly === true;
    if (isType) return [];
    return [at(file, node.getStart(), 'processes are started by src/system/child.ts')];
  });
};
