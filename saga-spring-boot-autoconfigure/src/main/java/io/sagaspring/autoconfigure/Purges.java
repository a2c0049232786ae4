package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Purge;
import java.util.List;

/** The removal of expired rows, for each capability that stores some. */
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
