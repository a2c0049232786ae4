package io.sagaspring.fence;

/**
 * Proof of having been the last to take something. Each taking gets a greater one, so whoever remembers the greatest it
 * has seen can refuse a holder that was asleep while another took over.
 *
 * @param value greater than that of every earlier holder
 * @since 0.1.0
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
