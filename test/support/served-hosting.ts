import { onTestFinished } from 'vitest';
import type { Grant } from '../../src/domain/tool/tool.ts';
import { createHostingServer } from '../../src/process/hosting/hosting-tools.ts';
import type { FrontOptions } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { Wire } from '../transport/mcp/wire.ts';
import { type FrontRig, startFront, TOKEN } from './front-rig.ts';
import { hostingWorld, type MemoryWorld, WORKSPACES } from './hosting-world.ts';

/** Tokens beside the operator's own; a test may take one back. */
export const GRANTS: Readonly<Record<string, Grant>> = {
  alpha: { tokenId: 'alpha', workspaceId: WORKSPACES[0].id },
  beta: { tokenId: 'beta', workspaceId: WORKSPACES[1].id },
  logs: { tokenId: 'logs', toolsets: ['workspaces', 'logs'] },
  reader: { tokenId: 'reader', isReadOnly: true },
};

/** The hosting server behind the real front. */
export interface ServedHosting extends MemoryWorld {
  readonly rig: FrontRig;
  readonly grants: Map<string, Grant>;
  /** A client that presents a token; the operator's where none is named. */
  wire(token?: string): Wire;
}

/** Serves the hosting tools on a free port; ends with the test. */
export async function serveHosting(
  engine: HttpEngine,
  overrides: Partial<FrontOptions> = {},
): Promise<ServedHosting> {
  const world = hostingWorld();
  const { provider, clock } = world;
  const hosting = createHostingServer({ provider, clock });
  const grants = new Map(Object.entries(GRANTS));
  const rig = await startFront(engine, {
    hosting,
    grantOf: (token) => grants.get(token),
    ...overrides,
  });
  onTestFinished(() => rig.front.close());
  const wire = (token: string = TOKEN): Wire => {
    const made = new Wire(rig, '/hosting/mcp');
    made.headers = { authorization: `Bearer ${token}` };
    return made;
  };
  return { ...world, rig, grants, wire };
}
