package com.example.docs.tables;

import io.sagaspring.entity.ClaimTable;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

@Configuration(proxyBeanMethods = false)
class OtherTables {

    enum Phase {
        WAITING,
        LOADING,
        LOADED
    }

    record Slot(String dock, long number) {}

    record Truck(String dock, long number, int phase) {}

    record Contract(UUID id, String state) {}

    /** Represents a mapper of MyBatis or a DAO of jOOQ. */
    interface ContractMapper {
        @Nullable
        Contract find(UUID id);
    }

    @Bean
    ClaimTable<Truck> trucks(JdbcClient database) {
        return ClaimTable.of(Truck.class, "logistics.trucks")
                .id(Slot.class, "dock", "number")
                .status("phase", Phase.class, Phase::ordinal)
                .version("revision")
                .lastModified("changed_at")
                .loadedBy(slot -> database.sql("SELECT * FROM logistics.trucks WHERE dock = ? AND number = ?")
                        .params(slot.dock(), slot.number())
                        .query(Truck.class)
                        .optional());
    }

    @Bean
    ClaimTable<Contract> contracts(ContractMapper mapper) {
        return ClaimTable.of(Contract.class, "contracts")
                .id(UUID.class, "id")
                .status("state")
                .loadedBy(id -> Optional.ofNullable(mapper.find(id)));
    }
}
