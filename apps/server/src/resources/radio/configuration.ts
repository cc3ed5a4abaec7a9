import type { RadioSettings } from '@hilltop/contract';
import { type Configuration, defaultSettings, type Settings } from '@hilltop/network-server';
import type { RadioDefaults } from '../../network/settings.ts';

/** The configuration of an embedded network server, from its stored radio settings. */
export function configurationOf(
  config: Pick<RadioDefaults, 'netID'>,
  { netID, enabledChannels, ...given }: RadioSettings,
): Configuration & { settings: Settings } {
  const settings = { ...given, enabledChannels: enabledChannels.length > 0 ? enabledChannels : null };
  return { netID: (netID || config.netID).toLowerCase(), settings: { ...defaultSettings, ...settings } };
}
