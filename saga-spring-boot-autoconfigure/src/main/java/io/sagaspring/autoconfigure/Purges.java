package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Purge;
import java.util.List;

/** Removes expired rows, for each capability that stores them. */
record Purges(List<Purge> all) implements BackgroundWork {

    @Override
    public void begin() {
        all.forEach(Purge::begin);
    }

    @Override
    public void end() {
        all.forEach(Purge::end);
    }
}
