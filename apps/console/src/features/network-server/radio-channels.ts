import type { RadioChannel, RadioPlan, RadioPlanChannel, RadioSettings } from '@hilltop/contract';

/** The enabled channels as stored: an empty list means all. */
export type ChannelSettings = Pick<RadioSettings, 'enabledChannels' | 'extraChannels'>;

export interface ShownChannel extends RadioPlanChannel {
  isOn: boolean;
  /** The index among the extra channels; undefined for a channel of the region. */
  extra: number | undefined;
}

/** All channels with their state, by number. Extra channels with empty boxes are omitted. */
export function channelsOf(plan: RadioPlan, { enabledChannels, extraChannels }: ChannelSettings): ShownChannel[] {
  const isOn = (index: number) => enabledChannels.length === 0 || enabledChannels.includes(index);
  const own = plan.channels.map((channel) => ({ ...channel, isOn: isOn(channel.index), extra: undefined }));
  const extras = extraChannels.map((channel, extra) => {
    const index = plan.channels.length + extra;
    return { ...channel, index, bandwidth: 125, isOn: isOn(index), extra };
  });
  return [...own, ...extras.filter(({ frequency }) => Number(frequency) > 0)];
}

/** The settings after switching these channels on or off. */
export function switched<S extends ChannelSettings>(
  plan: RadioPlan,
  settings: S,
  channels: readonly number[],
  isOn: boolean,
): S {
  const now = new Set(named(plan, settings));
  for (const index of channels)
    if (isOn) now.add(index);
    else now.delete(index);
  return { ...settings, enabledChannels: [...now].sort((one, other) => one - other) };
}

/** The next usual frequency: a recommended one of the region that is not used yet, otherwise the one after the last. */
export function nextExtra(plan: RadioPlan, { extraChannels }: ChannelSettings): RadioChannel {
  const used = new Set([...plan.channels, ...extraChannels].map(({ frequency }) => frequency));
  const free = plan.recommendedChannels.find(({ frequency }) => !used.has(frequency));
  const [first] = plan.channels;
  return free ?? { frequency: 0, minDR: first?.minDR ?? 0, maxDR: first?.maxDR ?? 5 };
}

export function withExtra<S extends ChannelSettings>(plan: RadioPlan, settings: S, channel: RadioChannel): S {
  const added = { ...settings, extraChannels: [...settings.extraChannels, channel] };
  if (settings.enabledChannels.length === 0) return added;
  return switched(plan, added, [plan.channels.length + settings.extraChannels.length], true);
}

/** The channels after it move up by one. */
export function withoutExtra<S extends ChannelSettings>(plan: RadioPlan, settings: S, place: number): S {
  const gone = plan.channels.length + place;
  const extraChannels = settings.extraChannels.filter((_, at) => at !== place);
  const left = settings.enabledChannels.filter((index) => index !== gone);
  const enabledChannels = left.map((index) => (index > gone ? index - 1 : index));
  const all = plan.channels.length + extraChannels.length;
  return { ...settings, extraChannels, enabledChannels: enabledChannels.length === all ? [] : enabledChannels };
}

function named(plan: RadioPlan, { enabledChannels, extraChannels }: ChannelSettings): number[] {
  if (enabledChannels.length > 0) return enabledChannels;
  return Array.from({ length: plan.channels.length + extraChannels.length }, (_, index) => index);
}

/** `868.1` for 868100000. */
export const megahertz = (frequency: number): string => String(Number((frequency / 1e6).toFixed(4)));
