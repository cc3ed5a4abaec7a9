import type { GatewayListItem } from '@hilltop/contract';
import { gatewayFilters } from '@hilltop/contract/filters';
import { IconRouter } from '@tabler/icons-react';
import { FileButtons } from '../../components/file/file-buttons.tsx';
import { isKnownFilter } from '../../components/filters/list-filters.ts';
import { JobMenu, useJobActions } from '../../components/job/job-actions.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { prefetchList } from '../../components/list/prefetch-list.ts';
import { rememberedIncludes } from '../../components/list/use-columns.ts';
import { firstPage, useListPage } from '../../components/list/use-list-page.ts';
import { useSelection } from '../../components/list/use-selection.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { ListPage } from '../../components/resource/list-page.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { paths } from '../../paths.ts';
import { useCurrentOrganization, useMay } from '../../session/session.tsx';
import { gatewayFiltersOf } from './gateway-filters.ts';
import { gatewayListColumns, optionalGatewayColumns } from './gateway-list-columns.tsx';
import { GatewayListMenu } from './gateway-list-menu.tsx';
import { gatewaysOf } from './gateways-of.ts';

const sortable = ['lastSeenAt', 'name', 'id', 'networkServerName', 'createdAt', 'firstSeenAt'] as const;

/** The activity of the gateways on the page of the address. */
export function useActivity(organizationID: string) {
  const page = useListPage(sortable, (filter) => isKnownFilter(gatewayFilters, filter));
  return gatewaysOf(organizationID, page, ['activity']);
}

export function GatewayList() {
  const { organizationID } = useIDs();
  const may = useMay();
  const organization = useCurrentOrganization();
  const activity = useActivity(organizationID);
  const selection = useSelection<GatewayListItem>(({ id }) => id);
  const jobs = useJobActions('gateway', selection, { organizationID });
  if (organization?.canHaveGateways === false) {
    return (
      <>
        <PageHeader title="Gateways" />
        <EmptyState icon={<IconRouter size={32} />} title="This organization cannot have gateways">
          A global administrator can allow it in the configuration of the organization.
        </EmptyState>
      </>
    );
  }
  return (
    <ListPage
      of="gateway"
      refreshMs={10_000}
      query={(page, include) => gatewaysOf(organizationID, page, include)}
      filters={gatewayFiltersOf(organizationID)}
      optional={optionalGatewayColumns}
      views={{ list: 'GATEWAYS', organizationID }}
      search="Search by name or gateway ID"
      columns={gatewayListColumns(activity)}
      selection={jobs.hasAny ? selection : undefined}
      bar={jobs.buttons}
      canSelectAll
      toolbar={jobs.hasAny && <JobMenu label="Selected gateways" count={selection.count} jobs={jobs} />}
      actions={
        <>
          <FileButtons kind="GATEWAYS" />
          {may('connecting.get', organizationID) && (
            <LinkButton to={paths.gatewayConnect(organizationID)} title="Step by step">
              Connect a gateway
            </LinkButton>
          )}
        </>
      }
      more={<GatewayListMenu />}
      purpose="Gateways receive what devices send and pass it on to the network-server."
    />
  );
}

GatewayList.ask = ({ organizationID }: IDs) =>
  prefetchList({
    page: gatewaysOf(organizationID, firstPage(), rememberedIncludes(optionalGatewayColumns)),
    filters: gatewayFiltersOf(organizationID),
    views: { list: 'GATEWAYS', organizationID },
  });
