import { LRUCache } from 'lru-cache';
import type { Principal, ToolSession } from '../../../domain/tool/tool.ts';

/** Callers that are tracked. The least recent one is forgotten first. */
export const LAST_WORKSPACES_MAX = 1_024;

/**
 * The workspace that each caller selected last, in any session. A caller without a selection sees
 * it as a hint; it is never used as the selection, which belongs to one session. Kept in memory, so
 * a restart clears it.
 */
export class LastWorkspaces {
  private readonly byCaller = new LRUCache<string, string>({ max: LAST_WORKSPACES_MAX });

  get(caller: Principal): string | undefined {
    return this.byCaller.get(callerKey(caller));
  }

  set(caller: Principal, workspaceId: string): void {
    this.byCaller.set(callerKey(caller), workspaceId);
  }
}

/** The storage of a session's selection. */
export interface SelectionStore {
  read(): string | undefined;
  write(workspaceId: string): void;
}

/** Builds the session of a tool call over the storage of its selection. */
export function createToolSession(
  last: LastWorkspaces,
  caller: Principal,
  store: SelectionStore,
): ToolSession {
  return {
    get workspaceId() {
      return store.read();
    },
    get lastWorkspaceId() {
      return last.get(caller);
    },
    selectWorkspace: (workspaceId) => {
      store.write(workspaceId);
      last.set(caller, workspaceId);
    },
  };
}

/** Stores a selection in memory, for a connection that is its own session. */
export function createMemorySelection(): SelectionStore {
  let selected: string | undefined;
  return {
    read: () => selected,
    write: (workspaceId) => {
      selected = workspaceId;
    },
  };
}

function callerKey({ kind, id }: Principal): string {
  return `${kind} ${id}`;
}
