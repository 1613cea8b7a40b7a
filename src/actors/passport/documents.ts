import { type JsonObject, toJson } from '../../domain/common/json.ts';
import {
  buildPassportBody,
  buildPassportDocument,
  PASSPORT_STATEMENT,
  type PassportDocument,
  type PassportProofs,
  type PassportReputation,
} from '../../domain/passport/document.ts';
import type { PassportOrder } from '../../domain/passport/order.ts';
import { passportRef } from '../../domain/passport/refs.ts';
import { buildRegistrationFile } from '../../domain/passport/registration.ts';
import type { Reputation } from '../../domain/reputation/view.ts';
import type { Services } from '../common/services.ts';
import type { PassportDirectory, PassportWithView } from './directory.ts';

/** Maximum number of proofs counted per passport, and per delegation. */
const PROOFS_COUNTED_MAX = 100;

type Ports = Pick<Services, 'clock' | 'proofs' | 'reputationOf' | 'trust'> & {
  readonly directory: PassportDirectory;
  /** The server's own passport, whose services follow the current base URL. */
  readonly own: {
    readonly isNamed: (name: string) => boolean;
    readonly services: () => Promise<PassportOrder['services']>;
  };
};

/** Creates complete, hashed, and signed passport documents for third parties. */
export class PassportDocuments {
  readonly #parts: Ports;

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /** @returns `undefined` if the agent is not registered here. */
  async document(subject: string): Promise<PassportDocument | undefined> {
    const { trust, clock, directory, reputationOf } = this.#parts;
    const known = await directory.findWithState(subject);
    if (known === undefined) return undefined;
    const { view } = known;
    const body = buildPassportBody({
      view,
      registration: await this.#registrationOf(known),
      reputation: reputationSummary(await reputationOf(actingWallet(known))),
      proofs: this.#countProofs(known),
    });
    const statement = trust.signStatement({
      kind: PASSPORT_STATEMENT,
      payload: toJson(body),
      issuedAt: clock.now(),
    });
    return buildPassportDocument(body, statement);
  }

  /** Returns the registration file of a name; `undefined` if it is not registered. */
  async registration(name: string): Promise<JsonObject | undefined> {
    const known = await this.#parts.directory.byName(name);
    return known === undefined ? undefined : this.#registrationOf(known);
  }

  async #registrationOf({ context, view }: PassportWithView): Promise<JsonObject> {
    const { own } = this.#parts;
    const { order } = context.ask;
    const services = own.isNamed(view.name) ? await own.services() : order.services;
    return buildRegistrationFile({
      order: { ...order, ...(services === undefined ? {} : { services }) },
      agentRegistry: view.erc8004.agent_registry,
      agentId: view.erc8004.id,
      isActive: view.status === 'active',
    });
  }

  #countProofs({ view }: PassportWithView): PassportProofs {
    const { proofs } = this.#parts;
    const refs = [
      passportRef(view.name),
      ...view.delegations.map(({ delegation_id }) => delegation_id),
    ];
    const records = refs.flatMap((ref) => proofs.find(ref, PROOFS_COUNTED_MAX));
    const byKind: Record<string, number> = {};
    for (const { kind_name } of records) byKind[kind_name] = (byKind[kind_name] ?? 0) + 1;
    return {
      count: records.length,
      by_kind: byKind,
      checkpoint: proofs.latestCheckpoint() ?? null,
    };
  }
}

/** Returns the wallet that acts for the agent, whether bound or not. */
function actingWallet({ context, view }: PassportWithView): string {
  return view.wallet ?? (view.custody === 'self' ? view.owner : context.ask.order.wallet);
}

function reputationSummary({
  score,
  badge,
  settled_jobs,
  disputes,
}: Reputation): PassportReputation {
  return { score, badge, settled_jobs, disputes, source: 'settled_jobs' };
}
