package com.example.docs.claims;

import io.sagaspring.claim.Flip;
import io.sagaspring.claim.FlipListener;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.springframework.stereotype.Component;

@Component
class FlipAudit implements FlipListener {
    @Override
    public void flipped(Flip flip, Connection connection) throws SQLException {
        String sql = "INSERT INTO flip_audit (entity, id, kind, status, version) VALUES (?, ?, ?, ?, ?)";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, flip.entity());
            insert.setString(2, flip.id().toString());
            insert.setString(3, flip.kind().name());
            insert.setString(4, flip.to());
            insert.setLong(5, flip.version());
            insert.executeUpdate();
        }
    }
}
