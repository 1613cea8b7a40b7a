import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';

const MODULES = new Set(['node:child_process', 'child_process']);

/** flock(1) ends before anything else runs, and the library of the store has no native part. */
const LOCK = 'src/store/common/folder-lock.ts';

/** One module starts all other processes, see docs/decisions/hosting-isolation.md. */
export const startsNoChild: Rule = (file) => {
  if (!file.path.startsWith('src/') || file.path.startsWith('src/system/')) return [];
  if (file.path === LOCK) return [];
  return [...nodesOf(file.tree)].flatMap((node) => {
    if (!ts.isStringLiteralLike(node) || !MODULES.has(node.text)) return [];
    const { parent } = node;
    const isType = ts.isImportDeclaration(parent) && parent.importClause?.isTypeOnly === true;
    if (isType) return [];
    return [at(file, node.getStart(), 'processes are started by src/system/child.ts')];
  });
};
