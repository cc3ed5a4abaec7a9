import { invalidFields, type Operations, type RadioSettings, refusal } from '@hilltop/contract';
import { channelGroups, defaultChannelIndexes, type Region, region, regions } from '@hilltop/lorawan';
import { type Clock, settingsProblems } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { embeddedServer, regionOf } from '../../network/embedded-address.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { RadioDefaults } from '../../network/settings.ts';
import { insertNetworkServer, loadNetworkServer, unconnected } from '../network-server/store.ts';
import { configurationOf } from './configuration.ts';
import { defaultsOf, planOf } from './plan.ts';
import { loadRadioSettings, saveRadioSettings } from './store.ts';

interface RadioRoutesDependencies {
  config: Pick<RadioDefaults, 'netID'>;
  database: Database;
  networks: Networks;
  clock: Clock;
}

/** The radio settings of embedded network servers, and adding one. */
export function radioRoutes({
  config,
  database,
  networks,
  clock,
}: RadioRoutesDependencies): Handlers<Operations['radio']> {
  async function embeddedOf(networkServerID: string): Promise<{ id: number; band: Region }> {
    const row = await loadNetworkServer(database, networkServerID);
    const name = regionOf(row);
    if (name === undefined) throw refusal('NOT_EMBEDDED');
    return { id: row.id, band: region(name) };
  }

  /** The settings in the stored form. Throws, at their fields, for settings that are invalid in the region. */
  function checked(band: Region, given: RadioSettings): RadioSettings {
    const settings = tidied(band, given);
    const problems = settingsProblems(band, configurationOf(config, settings).settings);
    if (problems.length === 0) return settings;
    throw invalidFields(problems.map(({ field, description }) => ({ field: `settings.${field}`, description })));
  }

  return {
    get: async ({ networkServerID }) => {
      const { id, band } = await embeddedOf(networkServerID);
      const settings = await loadRadioSettings(database, id);
      return { settings, defaults: defaultsOf(band, config), plan: planOf(band) };
    },

    update: async ({ networkServerID, settings }) => {
      const { id, band } = await embeddedOf(networkServerID);
      const normalized = checked(band, settings);
      await database.transaction(() => saveRadioSettings(database, id, normalized, clock.now()));
      await networks.embedded.refresh(id);
      return {};
    },

    preview: async ({ networkServerID, settings }) => {
      const { id, band } = await embeddedOf(networkServerID);
      const then = configurationOf(config, checked(band, settings));
      const { devices, isPartial, commands, endingSessions } = await networks.embedded.effectsOf(id, then);
      const effects = commands.map(({ name, ...counts }) => ({ command: name, ...counts }));
      return { devices, isPartial, effects, endingSessions };
    },

    listRegions: async () => ({
      result: regions.map((band) => ({ name: band.name, subBands: channelGroups(band).length })),
    }),

    create: async ({ name, region: given, subBand, netID }) => {
      const band = regions.find((known) => known.name === given);
      if (!band) throw invalidFields([{ field: 'region', description: `There is no region ${given}.` }]);
      const groups = channelGroups(band);
      if (subBand > groups.length) {
        const most = groups.length === 0 ? 'no sub-bands' : `${groups.length} sub-bands`;
        throw invalidFields([{ field: 'subBand', description: `${band.name} has ${most}.` }]);
      }
      const now = clock.now();
      const id = await database.transaction(() => addEmbedded({ database, now }, { name, band, subBand, netID }));
      await networks.embedded.refresh(id);
      return { id: String(id) };
    },
  };
}

/** Inserts the rows of an embedded network server; `subBand` 0: all channels. Resolves with its id. */
export async function addEmbedded(
  { database, now }: { database: Database } & { now: Date },
  { name, band, subBand, netID }: { name: string; band: Region; subBand: number; netID: string },
): Promise<number> {
  const server = embeddedServer(band.name);
  const id = await insertNetworkServer(database, { ...unconnected, name, server, created_at: now, updated_at: now });
  const enabledChannels = channelGroups(band)[subBand - 1]?.channels ?? [];
  // Stored as settings, not as defaults of the region: existing network servers keep their channels.
  const extraChannels = band.recommendedExtraChannels.map((channel) => ({ ...channel }));
  const settings = { enabledChannels, extraChannels, rejoinRequest: null, ...(netID && { netID }) };
  await saveRadioSettings(database, id, settings, now);
  return id;
}

/**
 * Normalizes settings. All channels enabled is stored as an empty list, so that channels that are added later are
 * enabled as well.
 */
function tidied(band: Region, { netID, enabledChannels, ...settings }: RadioSettings): RadioSettings {
  const all = defaultChannelIndexes(band).length + settings.extraChannels.length;
  const sorted = enabledChannels.toSorted((one, other) => one - other);
  const isAll = sorted.length === all && sorted.every((index, place) => index === place);
  return {
    ...settings,
    ...(netID && { netID: netID.toLowerCase() }),
    enabledChannels: isAll ? [] : sorted,
  };
}
