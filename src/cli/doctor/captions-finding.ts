import { type Environment, parseConfig } from '../../config.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { Finding } from './finding.ts';

/** Checks whether the operator has enabled captions of videos. */
export function checkCaptions(env: Environment): Finding {
  const finding = { feature: 'captions of videos', needs: 'STOA_YOUTUBE_CAPTIONS=on' };
  try {
    const { youtubeCaptions: isOn } = parseConfig([], env);
    if (!isOn) return { ...finding, state: 'reduced', detail: OFF };
    return { ...finding, state: 'ok', detail: 'fetched from YouTube, whose terms forbid it' };
  } catch (thrown) {
    // An invalid configuration would prevent the server from starting.
    return { ...finding, state: 'missing', detail: toAppError(thrown).message };
  }
}

const OFF = 'not set: content_youtube-research uses only transcripts that callers supply';
