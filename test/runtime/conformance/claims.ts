import type { EngineWorld } from '../../support/engine-world.ts';

/** What every engine has to do, by the sentence that says it. */
export type Claims = Readonly<Record<string, (world: EngineWorld) => Promise<void>>>;
