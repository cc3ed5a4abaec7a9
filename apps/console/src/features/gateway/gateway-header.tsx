import type { Operations, ResponseOf } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useStatsWindow } from '../../components/chart/stats-window.ts';
import { LinkButton } from '../../components/link/link.tsx';
import { NetworkServerOf } from '../../components/link/network-server-of.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { RecordHeader } from '../../components/page-header/record-header.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { Restorable } from '../../components/trash/restorable.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { GatewayState } from './gateway-state.tsx';
import { linkWords } from './link-words.ts';
import { ReplaceGateway } from './replace-gateway.tsx';

type Answer = ResponseOf<Operations['gateway']['get']>;

/** The header of a gateway: how it is connected, what it does today, and its tabs. */
export function GatewayHeader({ answer: { gateway, lastSeenAt, connection } }: { answer: Answer }) {
  const { organizationID, gatewayID } = useIDs();
  const mayConnect = useMay()('connecting.get', organizationID) && lastSeenAt === null;
  const frames = useFramesToday(gatewayID);
  return (
    <RecordHeader
      crumbs={[{ label: 'Gateways', to: paths.gateway.list(organizationID) }]}
      title={gateway.name}
      identifier={{ name: 'ID', value: gatewayID, of: 'gateway ID' }}
      state={<GatewayState lastSeenAt={lastSeenAt} />}
      lastSeenAt={lastSeenAt}
      facts={[
        ...(connection
          ? [{ name: linkWords[connection.link], value: connection.address || 'connected', full: connection.address }]
          : []),
        { name: 'Frames today', value: frames?.toLocaleString('en'), width: 6 },
        {
          name: 'Network-server',
          isLong: true,
          width: 16,
          value: <NetworkServerOf id={gateway.networkServerID} organizationID={organizationID} />,
        },
      ]}
      primary={
        mayConnect && (
          <LinkButton to={paths.gatewayConnect(organizationID)} search={{ gateway: gatewayID } as never}>
            Connect a gateway
          </LinkButton>
        )
      }
      actions={
        <>
          <ReplaceGateway gatewayID={gatewayID} name={gateway.name} />
          <DeleteResource
            of="gateway"
            id={gatewayID}
            name={gateway.name}
            note={
              <>
                <Restorable /> Its statistics are deleted for good.
              </>
            }
          />
        </>
      }
      tabs={useGatewayTabs(gateway.discoveryEnabled)}
    />
  );
}

/** Frames received and sent since the day began, by the statistics that the charts of the page show. */
function useFramesToday(gatewayID: string): number | undefined {
  const { data } = useQuery(query('gateway', 'getStats', { gatewayID, ...useStatsWindow({ days: 29 }) }));
  const today = data?.result.at(-1);
  return today && today.rxPacketsReceivedOK + today.txPacketsEmitted;
}

function useGatewayTabs(discoveryEnabled: boolean) {
  const { organizationID, gatewayID } = useIDs();
  const may = useMay();
  return [
    { label: 'Gateway details', to: paths.gateway.one(organizationID, gatewayID), exact: true },
    {
      label: 'Gateway configuration',
      to: paths.gatewayEdit(organizationID, gatewayID),
      hidden: !may('gateway.update'),
    },
    {
      label: 'Certificate',
      to: paths.gatewayCertificate(organizationID, gatewayID),
      hidden: !may('gateway.generateGatewayClientCertificate'),
    },
    {
      label: 'Gateway discovery',
      to: paths.gatewayDiscovery(organizationID, gatewayID),
      disabled: discoveryEnabled ? undefined : 'Gateway discovery is not enabled for this gateway.',
    },
    {
      label: 'Airtime',
      to: paths.gatewayAirtime(organizationID, gatewayID),
      hidden: !may('gatewayAirtime.get', organizationID),
    },
    { label: 'Live LoRaWAN frames', to: paths.gatewayFrames(organizationID, gatewayID) },
  ];
}
