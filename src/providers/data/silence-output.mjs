// @ts-check
import process from 'node:process';

/**
 * Discards what a worker thread prints: the text of strangers must not reach the streams of this
 * process, and standard output may carry a protocol. Worker modules import it before their parsers.
 */
for (const stream of [process.stdout, process.stderr]) stream.write = () => true;
