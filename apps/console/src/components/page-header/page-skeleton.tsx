import { Group, Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Grey bars in the shape of an object's page: way, title, tabs, and two cards below. */
export function PageSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      <Stack gap={10}>
        <Skeleton height={12} width={160} />
        <Skeleton height={22} width={220} />
      </Stack>
      <Group gap="lg">
        {[70, 110, 90, 80].map((width) => (
          <Skeleton key={width} height={14} width={width} />
        ))}
      </Group>
      <Group grow>
        <Skeleton height={180} />
        <Skeleton height={180} visibleFrom="sm" />
      </Group>
    </Stack>
  );
}
