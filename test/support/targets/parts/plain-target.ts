import type { PlannedTool, TargetPlan, WeakSpot } from '../target.ts';
import { choiceField, textField, type Variation } from '../variation.ts';
import { described } from './prose.ts';
import { READS, textOf, toolOf } from './tool.ts';

/** A small honest job, for targets whose fault is in the front and not in a tool. */
export function plainJob(variation: Variation, key: string, marker: string) {
  const job = variation.pick(`${key}.job`, JOBS);
  const form = variation.form(key, {
    place: {
      names: ['place', 'city', 'town', 'location'],
      schema: textField('Name of a town.', 60),
    },
    unit: {
      names: ['unit', 'units', 'scale'],
      schema: choiceField('Unit of the answer.', job.units),
      optional: true,
    },
  });
  const tool: PlannedTool = toolOf({
    name: variation.name(`${key}.tool`, job.names),
    title: job.title,
    description: described(variation, key, job.texts),
    form,
    annotations: READS,
    run: ({ place, unit }) => `${String(place)}: ${job.answer} ${textOf(unit, job.units[0])}`,
  });
  const weakSpot: WeakSpot = {
    tool: '',
    argumentsWith: (payload) => form.write({ place: payload }),
    marker,
  };
  const plan: TargetPlan = {
    serverInfo: { name: job.server, version: '1.5.2' },
    tools: () => [tool],
    weakSpot,
  };
  return { tool, form, plan };
}

const JOBS = [
  {
    server: 'weather',
    title: 'Weather of a town',
    names: ['current weather', 'weather', 'forecast'],
    texts: [
      'Gives the temperature of a town at the last full hour.',
      'Weather as measured at the station next to a town.',
    ],
    units: ['celsius', 'fahrenheit'],
    answer: '14',
  },
  {
    server: 'tides',
    title: 'Height of the tide',
    names: ['tide', 'next tide', 'sea level'],
    texts: [
      'Tells the height of the next high tide in a harbour.',
      'Next high water for a town at the sea.',
    ],
    units: ['metre', 'foot'],
    answer: '3.2',
  },
  {
    server: 'air',
    title: 'Quality of the air',
    names: ['air quality', 'pollen', 'dust'],
    texts: [
      'Reports fine dust of a town as a mean of the last day.',
      'Says how clean the air of a town is.',
    ],
    units: ['index', 'micrograms'],
    answer: '21',
  },
] as const;
