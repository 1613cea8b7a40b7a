import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../../sandbox/whole.ts';
import type { Layout } from '../layout.ts';

/** Facts that decide whom a hosted service or store may talk to. */
export interface Member {
  readonly workspaceId: string;
  /** True for a data store, which services of its workspace may call; otherwise it is a service. */
  readonly isStore: boolean;
}

type MemberLayout = Pick<Layout, 'service' | 'tenants'>;

/** A member with its user. */
export interface KnownMember extends Member {
  readonly uid: number;
}

/** Stores the facts of a member and returns whether they changed. */
export function keepMember(layout: MemberLayout, id: string, member: Member): boolean {
  const file = fileOf(layout, id);
  const text = JSON.stringify({ workspaceId: member.workspaceId, isStore: member.isStore });
  if (textOf(file) === text) return false;
  writeWhole(file, text);
  return true;
}

/** Returns all members. */
export function membersOf(layout: MemberLayout): readonly KnownMember[] {
  return layout.tenants().flatMap(({ id, uid }) => {
    const text = textOf(fileOf(layout, id));
    return text === undefined ? [] : [{ ...(JSON.parse(text) as Member), uid }];
  });
}

/** Returns which user may answer which caller: each store answers the services of its workspace. */
export function pairsOf(members: readonly KnownMember[]): readonly (readonly [number, number])[] {
  const callers = members.filter(({ isStore }) => !isStore);
  return members
    .filter(({ isStore }) => isStore)
    .flatMap((store) =>
      callers
        .filter(({ workspaceId }) => workspaceId === store.workspaceId)
        .map(({ uid }) => [store.uid, uid] as const),
    );
}

function fileOf(layout: MemberLayout, id: string): string {
  return join(layout.service(id), 'member.json');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
