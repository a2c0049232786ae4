package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Purge;
import java.util.List;

/** Removal of what is too old, by each capability that stores something. */
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
