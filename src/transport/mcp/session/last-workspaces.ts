import type { Principal, ToolSession } from '../../../domain/tool/tool.ts';

/** Callers whose last workspace is remembered; the one heard of longest ago goes first. */
export const LAST_WORKSPACES_MAX = 1_024;

/**
 * The workspace that each caller has selected last, whichever session it was in. It is told to a
 * caller that has selected none, and never used: a selection belongs to its session. In memory:
 * after a restart nobody is told.
 */
export class LastWorkspaces {
  private readonly byCaller = new Map<string, string>();

  of(caller: Principal): string | undefined {
    return this.byCaller.get(nameOf(caller));
  }

  note(caller: Principal, workspaceId: string): void {
    const name = nameOf(caller);
    this.byCaller.delete(name);
    this.byCaller.set(name, workspaceId);
    const [oldest] = this.byCaller.keys();
    if (this.byCaller.size > LAST_WORKSPACES_MAX && oldest !== undefined) {
      this.byCaller.delete(oldest);
    }
  }
}

/** Where a session keeps what was selected in it. */
export interface SelectionPlace {
  read(): string | undefined;
  write(workspaceId: string): void;
}

/** What a session keeps for tools, over the place where it is kept. */
export function toolSession(
  last: LastWorkspaces,
  caller: Principal,
  place: SelectionPlace,
): ToolSession {
  return {
    get workspaceId() {
      return place.read();
    },
    get lastWorkspaceId() {
      return last.of(caller);
    },
    selectWorkspace: (workspaceId) => {
      place.write(workspaceId);
      last.note(caller, workspaceId);
    },
  };
}

/** A place in memory, for connections that are their own session. */
export function placeInMemory(): SelectionPlace {
  let selected: string | undefined;
  return {
    read: () => selected,
    write: (workspaceId) => {
      selected = workspaceId;
    },
  };
}

function nameOf({ kind, id }: Principal): string {
  return `${kind} ${id}`;
}
