import { type PanelReadDeps, readTranscript } from '../../actors/panel/panel-state.ts';
import { AppError } from '../../domain/common/error.ts';
import type { ResourceContent } from '../../domain/tool/tool.ts';

/** Resource template of transcripts. */
export const PANEL_RESOURCE = {
  uriTemplate: 'panel://{job_id}/transcript',
  name: 'Panel transcript',
  description: 'Every turn and ballot of a panel, for anyone who knows its job id.',
  mimeType: 'application/json',
} as const;

const ADDRESS = /^panel:\/\/([A-Za-z0-9_-]{1,200})\/transcript$/;

/**
 * Reads `panel://{job_id}/transcript`: the sealed transcript, or the transcript so far.
 *
 * @returns `undefined` for other URIs and for unknown job ids.
 */
export async function readPanelResource(
  deps: PanelReadDeps,
  uri: string,
): Promise<ResourceContent | undefined> {
  const jobId = ADDRESS.exec(uri)?.[1];
  if (jobId === undefined) return undefined;
  try {
    const transcript = await readTranscript(deps, jobId);
    return { uri, mimeType: PANEL_RESOURCE.mimeType, text: JSON.stringify(transcript) };
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
    throw thrown;
  }
}
