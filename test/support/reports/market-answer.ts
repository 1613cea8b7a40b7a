import type { AnyAnswer } from '../../../src/domain/report/page/parse-report.ts';
import { comprehensiveTool } from '../../../src/tools/market/oracle_comprehensive-report.ts';
import { answerOf, sellTool } from '../sold-tool.ts';
import { type TickerSetting, tickerRig } from '../upstreams/ticker-rig.ts';

/** Buys a report on a ticker over upstreams on loopback, whose figures are made up. */
export async function marketAnswer(args: object = {}, set: TickerSetting = {}): Promise<AnyAnswer> {
  const { parts } = await tickerRig(set);
  const sold = await sellTool((trust) => comprehensiveTool({ trust, ...parts }));
  return answerOf<AnyAnswer>(sold, await sold.buy({ ticker: 'BTC', ...args }));
}
