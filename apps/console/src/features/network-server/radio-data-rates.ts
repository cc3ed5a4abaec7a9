import type { RadioPlan } from '@hilltop/contract';

/** The data-rates of one direction, as options of a form. */
export function dataRatesOf(plan: RadioPlan, direction: 'uplink' | 'downlink') {
  return plan.dataRates
    .filter((one) => one[direction])
    .map(({ dataRate, label }) => ({ value: dataRate, label: `DR${dataRate} (${label})` }));
}
