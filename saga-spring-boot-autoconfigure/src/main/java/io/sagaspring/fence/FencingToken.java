package io.sagaspring.fence;

/**
 * A fencing token: a number that increases with each acquisition of the same thing. A system that remembers the
 * greatest token it has seen can reject a previous owner that was paused while another owner took over.
 *
 * @param value the number, greater than that of every earlier owner
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
