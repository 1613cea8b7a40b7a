import { AppError } from '../../domain/common/error.ts';
import type { Topic } from '../../domain/inspect/message.ts';
import type { PanelLine } from '../../domain/inspect/wire.ts';
import { typeView } from '../../runtime/engine/typed-actors.ts';
import type { View } from '../../runtime/engine/types.ts';
import { auditKind } from '../audit/audit-view.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { reportKind } from '../report/report-view.ts';
import { createAuditFrame, createAuditLine } from './audit/audit-frame.ts';
import { StoredTexts } from './audit/stored-texts.ts';
import type { FrameProducer } from './frame-source.ts';
import type { Outlet, PushSource } from './outlet.ts';
import type { PanelView } from './panel/panel-view.ts';
import { createPanelProducer, LiveSpeech } from './panel-topic.ts';

/** Views of actors that only some programs have. */
export interface SubjectViews {
  /** Returns the list lines of those ids that have one. */
  lines(ids: readonly string[]): Promise<readonly PanelLine[]>;
  /** @throws {AppError} `NOT_A_PANEL` */
  open(topic: SubjectTopic): Promise<OpenedSubject>;
}

/** A topic that shows one actor as a panel or an audit. */
export type SubjectTopic = Extract<Topic, { readonly name: 'panel' | 'audit' }>;

/** What a subscription to such a topic receives. */
export interface OpenedSubject {
  readonly frames: FrameProducer;
  /** Adds a source of events that no frame has. */
  readonly live?: (outlet: Outlet) => PushSource;
}

/** The views of a program that has none. */
export const NO_SUBJECTS: SubjectViews = {
  lines: async () => [],
  open: async ({ name, actorId }) => {
    throw new AppError('NOT_A_PANEL', {
      message: `This program has no view of the name ${name} for ${actorId}.`,
      data: { received: actorId, allowed: [] },
    });
  },
};

interface SubjectViewsDeps extends Pick<Services, 'blobs' | 'clock' | 'engine'> {
  readonly panelViews: readonly PanelView[];
}

/** Creates the views of panels, audits and reports. */
export function createSubjectViews(deps: SubjectViewsDeps): SubjectViews {
  return {
    lines: (ids) => readLines(deps, ids),
    open: async (topic) => {
      const { kind } = await deps.engine.view(topic.actorId);
      return topic.name === 'panel' ? openPanel(deps, topic, kind) : openAudit(deps, topic, kind);
    },
  };
}

async function readLines(
  { engine, blobs, panelViews }: SubjectViewsDeps,
  ids: readonly string[],
): Promise<readonly PanelLine[]> {
  const lines: PanelLine[] = [];
  for (const id of new Set(ids)) {
    const view = await engine.view(id).catch(ignoreUnknown);
    if (view === undefined) continue;
    const panel = panelViews.find(({ kind }) => kind === view.kind);
    if (panel !== undefined) lines.push(panel.line({ view, blobs }));
    if (view.kind === auditKind.kind) lines.push(createAuditLine(view));
    if (view.kind === reportKind.kind) lines.push(createReportLine(view));
  }
  return lines;
}

/** An actor may be purged while it is listed. */
function ignoreUnknown(thrown: unknown): undefined {
  if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return undefined;
  throw thrown;
}

/** Returns the console list line of a report, without its request and results. */
function createReportLine(view: View): PanelLine {
  const { input, steps, ends, outcome } = typeView(reportKind, view).context;
  const failed = ends.filter(({ sha }) => sha === null).length;
  const faults = failed === 0 ? '' : `, ${failed} failed`;
  const ended = outcome === null ? '' : `${outcome.replaceAll('_', ' ')}, `;
  return {
    id: view.id,
    title: input.tool,
    question: input.reportKind.replaceAll('_', ' '),
    decision: `${ended}${ends.length} of ${steps.length} steps${faults}`,
  };
}

function openPanel(deps: SubjectViewsDeps, { actorId }: SubjectTopic, kind: string) {
  const panel = deps.panelViews.find((view) => view.kind === kind);
  if (panel === undefined) {
    const allowed = deps.panelViews.map((view) => view.kind);
    throw wrongKindError('a panel', { id: actorId, kind, allowed });
  }
  const parts = { ...deps, panel };
  return {
    frames: createPanelProducer(parts, actorId),
    live: (outlet: Outlet) => new LiveSpeech(parts, actorId, outlet),
  };
}

function openAudit({ engine, blobs }: SubjectViewsDeps, { actorId }: SubjectTopic, kind: string) {
  if (kind !== auditKind.kind) {
    throw wrongKindError('an audit', { id: actorId, kind, allowed: [auditKind.kind] });
  }
  const texts = new StoredTexts(blobs);
  const frames: FrameProducer = {
    create: async () => createAuditFrame(await engine.view(actorId), texts),
    watch: (changed) => engine.watch(actorId, 1, changed),
  };
  return { frames };
}

function wrongKindError(
  what: string,
  { id, kind, allowed }: { readonly id: string; readonly kind: string; allowed: readonly string[] },
): AppError {
  return new AppError('NOT_A_PANEL', {
    message: `${id} is a ${kind}, and ${what} is one of: ${allowed.join(', ')}.`,
    data: { received: kind, allowed },
  });
}
