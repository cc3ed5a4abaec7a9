import { IconAntenna } from '@tabler/icons-react';
import { AppLink } from '../../components/link/link.tsx';
import { prefetchList } from '../../components/list/prefetch-list.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { rememberedIncludes } from '../../components/list/use-columns.ts';
import { firstPage } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { gatewayFiltersOf } from './gateway-filters.ts';
import { useActivity } from './gateway-list.tsx';
import { gatewayListColumns, optionalGatewayColumns } from './gateway-list-columns.tsx';
import { gatewaysOf } from './gateways-of.ts';

/** The gateways of all organizations, for global administrators. */
export function AllGateways() {
  const activity = useActivity('');
  return (
    <>
      <PageHeader
        title="All gateways"
        tabs={[
          { label: 'Devices', to: paths.allDevices(), exact: true },
          { label: 'Gateways', to: paths.allGateways() },
        ]}
      />
      <ResourceList
        label="Gateways"
        refreshMs={10_000}
        query={(page, include) => gatewaysOf('', page, ['organization', ...include])}
        filters={gatewayFiltersOf('')}
        optional={optionalGatewayColumns}
        views={{ list: 'GATEWAYS', organizationID: '0' }}
        search="Search by name or gateway ID"
        rowKey={({ id }) => id}
        columns={gatewayListColumns(activity, [
          {
            header: 'Organization',
            card: 'folded',
            include: 'organization',
            cell: ({ organizationID, organizationName }) => (
              <AppLink to={paths.organization.one(organizationID)}>{organizationName}</AppLink>
            ),
          },
        ])}
        empty={{
          title: 'No gateways yet',
          text: 'The gateways of all organizations are listed here.',
          icon: <IconAntenna size={32} />,
        }}
      />
    </>
  );
}

AllGateways.ask = () =>
  prefetchList({
    page: gatewaysOf('', firstPage(), ['organization', ...rememberedIncludes(optionalGatewayColumns)]),
    filters: gatewayFiltersOf(''),
    views: { list: 'GATEWAYS', organizationID: '0' },
  });
