import { join } from 'node:path';
import { readTextIfPresent } from '../../../../system/read-text.ts';
import { writeAtomically } from '../../../sandbox/write-atomically.ts';
import type { Layout } from '../layout.ts';

/** Facts that decide whom a hosted service or store may talk to. */
export interface NetworkMember {
  readonly workspaceId: string;
  /** True for a data store, which services of its workspace may call; otherwise it is a service. */
  readonly isStore: boolean;
}

type MemberLayout = Pick<Layout, 'service' | 'listTenants'>;

/** A member with its user. */
export interface NetworkMemberWithUser extends NetworkMember {
  readonly uid: number;
}

/** Stores the facts of a member and returns whether they changed. */
export function storeMember(layout: MemberLayout, id: string, member: NetworkMember): boolean {
  const file = memberFile(layout, id);
  const text = JSON.stringify({ workspaceId: member.workspaceId, isStore: member.isStore });
  if (readTextIfPresent(file) === text) return false;
  writeAtomically(file, text);
  return true;
}

/** Returns all members. */
export function listNetworkMembers(layout: MemberLayout): readonly NetworkMemberWithUser[] {
  return layout.listTenants().flatMap(({ id, uid }) => {
    const text = readTextIfPresent(memberFile(layout, id));
    return text === undefined ? [] : [{ ...(JSON.parse(text) as NetworkMember), uid }];
  });
}

/** Returns which user may answer which caller: each store answers the services of its workspace. */
export function allowedPairs(
  members: readonly NetworkMemberWithUser[],
): readonly (readonly [number, number])[] {
  const callers = members.filter(({ isStore }) => !isStore);
  return members
    .filter(({ isStore }) => isStore)
    .flatMap((store) =>
      callers
        .filter(({ workspaceId }) => workspaceId === store.workspaceId)
        .map(({ uid }) => [store.uid, uid] as const),
    );
}

function memberFile(layout: MemberLayout, id: string): string {
  return join(layout.service(id), 'member.json');
}
