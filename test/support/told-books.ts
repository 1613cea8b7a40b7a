import { createPaymentProjector } from '../../src/actors/proof/payment-projector.ts';
import { ProofProjector } from '../../src/actors/proof/proof-projector.ts';
import { systemClock } from '../../src/runtime/timer/clock.ts';
import { memoryBlobs } from './debate.ts';
import { type EventFeedServer, eventFeedServer } from './event-feed-server.ts';
import { proofRig } from './proof-rig.ts';
import type { WorkProcess } from './work-world.ts';

/** The public feed of processes that have no front, as a server would tell it. */
export interface ToldBooks {
  readonly feed: EventFeedServer;
  /** Adds what the actors of a process brought about; once for each store. */
  take(process: WorkProcess): Promise<void>;
  close(): Promise<void>;
}

/** Opens a feed that several processes on one chain are told on. */
export async function toldBooks(): Promise<ToldBooks> {
  const feed = await eventFeedServer(500);
  return {
    feed,
    take: async ({ engine, projectors }) => {
      const rig = proofRig();
      const payments = createPaymentProjector({ blobs: memoryBlobs(), statementKinds: {} });
      const projector = new ProofProjector({
        engine,
        log: rig.log,
        events: rig.events,
        clock: systemClock(),
        projectors: [payments, ...projectors],
        notice: () => undefined,
      });
      await projector.caughtUp();
      await projector.stop();
      for (const event of rig.events.read(0, 1_000)) {
        feed.events.push({ ...event, seq: feed.events.length });
      }
      await rig.close();
    },
    close: () => feed.close(),
  };
}
