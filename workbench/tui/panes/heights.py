"""A sequence of heights with fast sums: which row is where in a million-row document."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Heights of consecutive parts, in a Fenwick tree: every operation is logarithmic."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._tree = [0, *self._heights]
        for node in range(1, len(self._tree)):
            above = node + (node & -node)
            if above < len(self._tree):
                self._tree[above] += self._tree[node]

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def set(self, index: int, height: int) -> None:
        """Change one height."""
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        node = index + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def append(self, height: int) -> None:
        """Add a part at the end."""
        node = len(self._tree)
        below = node - 1
        lowest = node - (node & -node)
        total = height
        while below > lowest:
            total += self._tree[below]
            below -= below & -below
        self._heights.append(height)
        self._tree.append(total)

    def truncate(self, length: int) -> None:
        """Keep the first `length` parts."""
        del self._heights[length:]
        del self._tree[length + 1 :]

    def before(self, index: int) -> int:
        """Sum of the heights of the parts before `index`."""
        total = 0
        while index:
            total += self._tree[index]
            index -= index & -index
        return total

    @property
    def total(self) -> int:
        """Sum of all heights."""
        return self.before(len(self._heights))

    def locate(self, row: int) -> tuple[int, int]:
        """The part that holds `row`, and the row within it.

        Raises:
            IndexError: if there is no such row.
        """
        if not 0 <= row < self.total:
            raise IndexError(row)
        index = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            node = index + step
            if node < len(self._tree) and self._tree[node] <= row:
                index = node
                row -= self._tree[node]
            step >>= 1
        return index, row
