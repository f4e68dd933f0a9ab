// SPDX-License-Identifier: MIT
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Two accounts trade in an exchange of this test's own. */
class ExchangeTest {
    private static final String IMAGE = Objects.requireNonNullElse(System.getenv("DOJIMA_IMAGE"), "dojima:latest");
    private static final String SELLER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    private static final String BUYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    private static final int BUY = 1, SELL = 2;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(IMAGE))
            .withCommand("dev", "--market", "none")
            .withExposedPorts(8080)
            .waitingFor(Wait.forHttp("/readyz").forStatusCode(200));
    private String url;

    @BeforeEach
    void start() throws Exception {
        container.start();
        url = "http://" + container.getHost() + ":" + container.getMappedPort(8080);
        for (String address : new String[] {SELLER, BUYER}) {
            JsonNode answer = send("/rpc", """
                    {"jsonrpc":"2.0","id":1,"method":"anvil_impersonateAccount","params":["%s"]}""".formatted(address), null);
            assertFalse(answer.has("error"), answer.toString());
        }
    }

    @AfterEach
    void stop() {
        container.stop();
    }

    /** Sends a body, or asks for what is there when there is none; the JSON of the answer. */
    private JsonNode send(String path, String body, String as) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
        if (body != null) request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        if (as != null) request.header("X-Dojima-As", as);
        return JSON.readTree(http.send(request.build(), BodyHandlers.ofString()).body());
    }

    private void place(String address, int account, int side, String price, String quantity) throws Exception {
        JsonNode answer = send("/api/v1/spot/trade/orders/batch", """
                {"accountID":%d,"orders":[{"symbolID":1,"clOrdID":"%d-1","side":%d,"type":1,"timeInForce":1,"price":"%s",\
                "quantity":"%s"}]}""".formatted(account, account, side, price, quantity), address);
        assertEquals(0, answer.get("code").asInt(), answer.toString());
    }

    @Test
    void twoAccountsTrade() throws Exception {
        place(SELLER, 1001, SELL, "100000", "0.01");
        place(BUYER, 1002, BUY, "100000", "0.01");
        JsonNode orders = send("/api/v1/spot/accounts/" + BUYER + "/orders/history", null, null).get("data");
        assertEquals(1, orders.size());
        assertEquals("FILLED", orders.get(0).get("status").asText());
    }
}
