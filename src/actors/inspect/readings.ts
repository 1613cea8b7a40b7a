import type { Json } from '../../domain/common/json.ts';
import type { ReadQuery } from '../../domain/inspect/message.ts';
import type { ActorFrame, ActorRow, JournalRow } from '../../domain/inspect/wire.ts';
import { createActorPoint } from './actor-point.ts';
import { toJournalRow } from './console-rows.ts';
import { DeadLetters } from './dead-letters.ts';
import { toActorRow } from './directory-rows.ts';
import type { EngineInspectorOptions } from './inspector-options.ts';
import { MachineGraphs } from './machine-graphs.ts';
import type { Redactor } from './redaction/redaction.ts';
import { NO_SUBJECTS } from './subject-views.ts';

/** Maximum number of search results. */
const SEARCH_RESULTS_MAX = 100;

/** Redacted one-time reads. */
export class Readings {
  readonly machines: MachineGraphs;
  readonly redactorOf: (kind: string) => Redactor;
  readonly deadLetters: DeadLetters;
  readonly #options: EngineInspectorOptions;

  constructor(options: EngineInspectorOptions) {
    const { engine, clock, machines, redactorOf } = options;
    this.#options = options;
    this.machines = new MachineGraphs(machines);
    this.redactorOf = redactorOf;
    this.deadLetters = new DeadLetters({ engine, clock, redactorOf: this.redactorOf });
  }

  async read(reading: ReadQuery): Promise<Json> {
    switch (reading.name) {
      case 'point':
        return asJson(await this.point(reading.actorId, reading.atSeq));
      case 'journal':
        return asJson(await this.#journal(reading));
      case 'dead_letters':
        return asJson(await this.deadLetters.page(reading.cursor));
      case 'find':
        return asJson({ rows: await this.#find(reading.text) });
      case 'panels':
        return asJson({ panels: await this.#lines(reading.actorIds) });
      case 'coverage':
        return asJson({ reports: await this.#options.coverage() });
    }
  }

  /** Returns an actor after a journal row, or its current state. */
  async point(id: string, atSeq?: number) {
    const explained = await this.#options.engine.explain(id, atSeq);
    const redactor = this.redactorOf(explained.view.kind);
    return createActorPoint(explained, { machines: this.machines, redactor });
  }

  /** Returns the current state of an actor with its mailbox and dead letters. */
  async frame(id: string): Promise<ActorFrame> {
    const point = await this.point(id);
    const deadLetters = await this.deadLetters.forActor(id, this.redactorOf(point.kind));
    return { ...point, topic: 'actor', mailbox: this.#options.engine.waiting(id), deadLetters };
  }

  async #journal({ actorId, from, limit }: Extract<ReadQuery, { name: 'journal' }>) {
    const { engine } = this.#options;
    const { seq: lastSeq, kind } = await engine.view(actorId);
    const redactor = this.redactorOf(kind);
    const rows: JournalRow[] = [];
    for await (const entry of engine.journal(actorId, Math.max(1, from), limit)) {
      if (entry.seq <= lastSeq) rows.push(toJournalRow(entry, redactor));
    }
    let firstSeq = lastSeq;
    for await (const first of engine.journal(actorId, 1, 1)) firstSeq = first.seq;
    return { rows, firstSeq, lastSeq };
  }

  async #lines(ids: readonly string[]) {
    return (this.#options.subjects ?? NO_SUBJECTS).lines(ids);
  }

  async #find(text: string): Promise<readonly ActorRow[]> {
    const { rows } = await this.#options.engine.list({ prefix: text, limit: SEARCH_RESULTS_MAX });
    return rows.map((row) => toActorRow(row, null));
  }
}

function asJson(value: object): Json {
  return value as Json;
}
